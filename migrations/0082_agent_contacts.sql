-- +goose Up
-- Whom to ask about an agent, and where the tickets that its calls name are; '' for none.
ALTER TABLE agents ADD COLUMN contact TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN ticket_link TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE agents DROP COLUMN ticket_link;
ALTER TABLE agents DROP COLUMN contact;
