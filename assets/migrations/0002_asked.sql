-- What an operation was asked for beside its sessions, as JSON: conditions and the like. Another process
-- may have to go on with it. NULL in operations that were begun before.
ALTER TABLE operations ADD COLUMN asked TEXT;
