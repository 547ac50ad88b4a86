//! What made-up sessions are about.

/// Names of projects.
pub(crate) const PROJECTS: [&str; 20] = [
    "shop", "api", "web", "ledger", "search", "mail", "infra", "docs", "mobile", "billing", "auth",
    "images", "reports", "gateway", "stock", "quotes", "worker", "metrics", "labels", "importer",
];

/// Names of agents.
pub(crate) const AGENTS: [&str; 5] = ["claude", "codex", "claude", "opencode", "gemini"];

/// What is done.
pub(crate) const VERBS: [&str; 16] = [
    "Fix",
    "Test",
    "Rewrite",
    "Speed up",
    "Document",
    "Find out about",
    "Split",
    "Rename",
    "Cache",
    "Review",
    "Port",
    "Simplify",
    "Measure",
    "Harden",
    "Translate",
    "Remove",
];

/// What it is done to.
pub(crate) const OBJECTS: [&str; 24] = [
    "the rounding of VAT",
    "the login page",
    "retries of the mail queue",
    "the search index",
    "time zones in reports",
    "the import of orders",
    "thumbnails",
    "the price table",
    "the flaky checkout test",
    "the address form",
    "error messages",
    "the nightly job",
    "pagination of invoices",
    "the stock counter",
    "the rate limiter",
    "access tokens",
    "the product feed",
    "database migrations",
    "the health check",
    "the printer labels",
    "logs of the gateway",
    "the discount rules",
    "the session cookie",
    "the backup script",
];

/// Why; most often nothing is said.
pub(crate) const REASONS: [&str; 8] = [
    "",
    "",
    "",
    "before the release",
    "for the new market",
    "after the outage",
    "as reported",
    "on old browsers",
];
