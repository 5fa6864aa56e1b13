-- CreateTable
CREATE TABLE "service_secrets" (
    "name" TEXT NOT NULL,
    "secret" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_secrets_pkey" PRIMARY KEY ("name")
);

-- What must hold whatever the code does.
ALTER TABLE service_secrets ADD CONSTRAINT service_secrets_length CHECK (octet_length(secret) = 32);
