-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "owners" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "owners_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "projects" (
    "id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "balance_micros" BIGINT NOT NULL DEFAULT 0,
    "reserved_micros" BIGINT NOT NULL DEFAULT 0,
    "spend_limit_micros" BIGINT NOT NULL,
    "max_phones" INTEGER NOT NULL,
    "max_running" INTEGER NOT NULL,
    "frozen_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "preset" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key_phones" (
    "key_id" TEXT NOT NULL,
    "phone_id" TEXT NOT NULL,

    CONSTRAINT "api_key_phones_pkey" PRIMARY KEY ("key_id","phone_id")
);

-- CreateTable
CREATE TABLE "hosts" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "country" TEXT NOT NULL,
    "nats_public_key" TEXT NOT NULL,
    "address" TEXT,
    "version" TEXT,
    "load" DOUBLE PRECISION,
    "sequence" BIGINT NOT NULL DEFAULT 0,
    "announced_at" TIMESTAMPTZ(3),
    "last_seen_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hosts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "devices" (
    "id" TEXT NOT NULL,
    "host_id" TEXT NOT NULL,
    "serial" TEXT NOT NULL,
    "maker" TEXT,
    "model" TEXT,
    "sdk" INTEGER,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "link" TEXT NOT NULL,
    "link_lost_at" TIMESTAMPTZ(3),
    "last_proof_at" TIMESTAMPTZ(3),
    "grace_until" TIMESTAMPTZ(3),
    "fencing_number" BIGINT NOT NULL DEFAULT 0,
    "phone_id" TEXT,
    "enrolled_at" TIMESTAMPTZ(3),
    "freed_at" TIMESTAMPTZ(3),
    "capabilities" JSONB NOT NULL DEFAULT '[]',
    "wipe_checks" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "devices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "phones" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "country" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_active_at" TIMESTAMPTZ(3),
    "failure_code" TEXT,
    "failure_message" TEXT,
    "failure_at" TIMESTAMPTZ(3),
    "start_deadline_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "phones_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "phone_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ready_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "idle_timeout" INTEGER NOT NULL,
    "max_duration" INTEGER NOT NULL,
    "billed_seconds" INTEGER,
    "cost_micros" BIGINT,
    "reserved_micros" BIGINT NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger" (
    "id" BIGSERIAL NOT NULL,
    "project_id" TEXT NOT NULL,
    "session_id" TEXT,
    "kind" TEXT NOT NULL,
    "balance_delta" BIGINT NOT NULL DEFAULT 0,
    "reserved_delta" BIGINT NOT NULL DEFAULT 0,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ledger_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "project_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" TEXT NOT NULL,
    "phone_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("project_id","key")
);

-- CreateTable
CREATE TABLE "lifecycle_counts" (
    "project_id" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "lifecycle_counts_pkey" PRIMARY KEY ("project_id","minute")
);

-- CreateTable
CREATE TABLE "service_state" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "paused_at" TIMESTAMPTZ(3),

    CONSTRAINT "service_state_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operator_tokens" (
    "secret_hash" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "operator_tokens_pkey" PRIMARY KEY ("secret_hash")
);

-- CreateTable
CREATE TABLE "join_tokens" (
    "secret_hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "host_id" TEXT,

    CONSTRAINT "join_tokens_pkey" PRIMARY KEY ("secret_hash")
);

-- CreateTable
CREATE TABLE "replicas" (
    "id" TEXT NOT NULL,
    "worker_ids" TEXT[],
    "beat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "replicas_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "owners_name_key" ON "owners"("name");

-- CreateIndex
CREATE INDEX "projects_owner_id_idx" ON "projects"("owner_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_secret_hash_key" ON "api_keys"("secret_hash");

-- CreateIndex
CREATE INDEX "api_keys_project_id_idx" ON "api_keys"("project_id");

-- CreateIndex
CREATE UNIQUE INDEX "devices_phone_id_key" ON "devices"("phone_id");

-- CreateIndex
CREATE INDEX "devices_state_freed_at_idx" ON "devices"("state", "freed_at");

-- CreateIndex
CREATE UNIQUE INDEX "devices_host_id_serial_key" ON "devices"("host_id", "serial");

-- CreateIndex
CREATE INDEX "phones_project_id_created_at_id_idx" ON "phones"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "phones_project_id_status_idx" ON "phones"("project_id", "status");

-- CreateIndex
CREATE INDEX "sessions_phone_id_started_at_id_idx" ON "sessions"("phone_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "sessions_project_id_ended_at_idx" ON "sessions"("project_id", "ended_at");

-- CreateIndex
CREATE INDEX "ledger_project_id_idx" ON "ledger"("project_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "lifecycle_counts_minute_idx" ON "lifecycle_counts"("minute");

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "owners"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key_phones" ADD CONSTRAINT "api_key_phones_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key_phones" ADD CONSTRAINT "api_key_phones_phone_id_fkey" FOREIGN KEY ("phone_id") REFERENCES "phones"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_host_id_fkey" FOREIGN KEY ("host_id") REFERENCES "hosts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_phone_id_fkey" FOREIGN KEY ("phone_id") REFERENCES "phones"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "phones" ADD CONSTRAINT "phones_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_phone_id_fkey" FOREIGN KEY ("phone_id") REFERENCES "phones"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lifecycle_counts" ADD CONSTRAINT "lifecycle_counts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

