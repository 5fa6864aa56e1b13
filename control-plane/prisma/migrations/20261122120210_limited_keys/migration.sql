-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "is_limited" BOOLEAN NOT NULL DEFAULT false;

UPDATE api_keys SET is_limited = true WHERE id IN (SELECT key_id FROM api_key_phones);

-- What must hold whatever the code does: a key that was limited to phones stays limited, and never to none.
CREATE FUNCTION api_keys_stay_limited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.is_limited AND NOT NEW.is_limited THEN
    RAISE EXCEPTION 'the key % is limited to phones and stays so', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER api_keys_stay_limited BEFORE UPDATE ON api_keys
  FOR EACH ROW EXECUTE FUNCTION api_keys_stay_limited();

CREATE FUNCTION api_key_phones_agree() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  key_ids text[];
  wrong text;
BEGIN
  IF TG_TABLE_NAME = 'api_keys' THEN
    key_ids := ARRAY[NEW.id];
  ELSIF TG_OP = 'INSERT' THEN
    key_ids := ARRAY[NEW.key_id];
  ELSIF TG_OP = 'DELETE' THEN
    key_ids := ARRAY[OLD.key_id];
  ELSE
    key_ids := ARRAY[OLD.key_id, NEW.key_id];
  END IF;
  SELECT k.id INTO wrong FROM api_keys k
    WHERE k.id = ANY (key_ids) AND k.is_limited <> EXISTS (SELECT 1 FROM api_key_phones p WHERE p.key_id = k.id);
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'the key % must name its phones exactly when it is limited', wrong USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
-- At the commit: a key and its phones are written one after the other.
CREATE CONSTRAINT TRIGGER api_keys_phones_agree AFTER INSERT OR UPDATE ON api_keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION api_key_phones_agree();
CREATE CONSTRAINT TRIGGER api_key_phones_agree AFTER INSERT OR UPDATE OR DELETE ON api_key_phones
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION api_key_phones_agree();
