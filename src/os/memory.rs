//! Memory of this process.

/// Gives the pages of freed memory back to the system, where the allocator keeps them for later
/// (`spec/runtime.md` X6). Costs some hundred microseconds: for a process that goes quiet.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library's own call; it takes no pointer")]
pub fn give_back() {
    // SAFETY: it may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Allocators without such a call give memory back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
