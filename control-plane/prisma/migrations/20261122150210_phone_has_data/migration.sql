-- The phone was ready since it was created or reset: a start must find its data, or is refused (docs/decisions/0174).
ALTER TABLE phones ADD COLUMN has_data boolean NOT NULL DEFAULT false;
-- Others may be in the middle of a reset; they have data from when they are ready next.
UPDATE phones p SET has_data = true
  WHERE p.status IN ('ready', 'parking', 'parked')
    AND EXISTS (SELECT 1 FROM sessions s WHERE s.phone_id = p.id AND s.ready_at IS NOT NULL);
