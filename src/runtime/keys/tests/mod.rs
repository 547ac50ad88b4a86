mod keys;
mod mouse;
mod paste;
