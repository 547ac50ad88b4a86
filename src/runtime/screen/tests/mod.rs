mod cases;
mod normal;
mod signals;
mod snapshots;
