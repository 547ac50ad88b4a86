mod cases;
mod faults;
mod fuzz;
mod grammar;
mod normal;
mod signals;
mod snapshots;
