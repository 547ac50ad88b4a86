mod cases;
mod normal;
mod snapshots;
