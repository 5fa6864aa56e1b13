-- Refunds and chargebacks are booked, and money that matches nothing is kept.

ALTER TABLE checkouts
  ADD COLUMN payment_intent text,
  ADD COLUMN total_cents integer;
CREATE UNIQUE INDEX checkouts_payment_intent_key ON checkouts (payment_intent);

-- What the provider took back, each under its own ID, as it was last told.
CREATE TABLE payment_reversals (
  id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('charge', 'refund', 'dispute')),
  payment_intent text,
  checkout_id text,
  cents bigint NOT NULL CHECK (cents >= 0),
  currency text NOT NULL,
  is_active boolean NOT NULL,
  is_final boolean NOT NULL,
  told_at timestamptz(3) NOT NULL
);
CREATE INDEX payment_reversals_payment_intent ON payment_reversals (payment_intent);
CREATE INDEX payment_reversals_checkout_id ON payment_reversals (checkout_id);

-- Payments that fit no checkout link.
CREATE TABLE unmatched_payments (
  id text PRIMARY KEY,
  reference text,
  payment_intent text,
  cents bigint NOT NULL,
  currency text NOT NULL,
  reason text NOT NULL,
  told_at timestamptz(3) NOT NULL
);

ALTER TABLE ledger
  ADD COLUMN checkout_id text REFERENCES checkouts (id),
  DROP CONSTRAINT ledger_kind,
  ADD CONSTRAINT ledger_kind CHECK (
    (kind = 'credit' AND reserved_delta = 0 AND session_id IS NULL)
    OR (kind = 'reserve' AND balance_delta = 0 AND reserved_delta > 0 AND session_id IS NOT NULL)
    OR (kind = 'release' AND balance_delta = 0 AND reserved_delta <= 0 AND session_id IS NOT NULL)
    OR (kind = 'charge' AND balance_delta <= 0 AND reserved_delta = 0 AND session_id IS NOT NULL)
    OR (kind IN ('refund', 'chargeback') AND reserved_delta = 0 AND session_id IS NULL AND checkout_id IS NOT NULL)
  );
CREATE INDEX ledger_checkout_id ON ledger (checkout_id);
-- A payment adds its credit once, whatever the code does.
CREATE UNIQUE INDEX ledger_one_payment ON ledger (checkout_id) WHERE kind = 'credit';
