-- CreateTable
CREATE TABLE "uploads" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "claim_until" TIMESTAMPTZ(3),
    "storage_id" TEXT,
    "is_stored" BOOLEAN NOT NULL DEFAULT false,
    "size_bytes" BIGINT,
    "sha256" TEXT,
    "arrived_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "package" TEXT,
    "version_code" BIGINT,
    "version_name" TEXT,
    "min_sdk" INTEGER,
    "signer" TEXT,
    "error_code" TEXT,
    "error_message" TEXT,
    "error_next" TEXT,
    "kept_from" TIMESTAMPTZ(3),
    "last_install_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "installs" (
    "id" TEXT NOT NULL,
    "phone_id" TEXT NOT NULL,
    "fencing_number" BIGINT NOT NULL,
    "request_id" TEXT NOT NULL,
    "package" TEXT NOT NULL,
    "version_code" BIGINT NOT NULL,
    "upload_id" TEXT,
    "files" JSONB NOT NULL,
    "replace" BOOLEAN NOT NULL DEFAULT false,
    "status" TEXT NOT NULL,
    "error" TEXT,
    "next" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "installs_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "uploads_token_hash_key" ON "uploads"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "uploads_storage_id_key" ON "uploads"("storage_id");

-- CreateIndex
CREATE INDEX "uploads_project_id_created_at_id_idx" ON "uploads"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "uploads_project_id_package_idx" ON "uploads"("project_id", "package");

-- CreateIndex
CREATE INDEX "installs_phone_id_started_at_idx" ON "installs"("phone_id", "started_at" DESC);

-- CreateIndex
CREATE INDEX "installs_upload_id_idx" ON "installs"("upload_id");

-- AddForeignKey
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "installs" ADD CONSTRAINT "installs_phone_id_fkey" FOREIGN KEY ("phone_id") REFERENCES "phones"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "installs" ADD CONSTRAINT "installs_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "uploads"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- What must hold whatever the code does.

ALTER TABLE uploads
  ADD CONSTRAINT uploads_status CHECK (status IN ('awaiting_file', 'processing', 'ready', 'invalid_apk', 'too_large', 'storage_full', 'failed', 'duplicate', 'deleted')),
  ADD CONSTRAINT uploads_error_whole CHECK (num_nulls(error_code, error_message) IN (0, 2)),
  ADD CONSTRAINT uploads_file_whole CHECK (arrived_at IS NULL OR num_nulls(storage_id, size_bytes) = 0),
  -- What counts toward the project's total, and what can be installed.
  ADD CONSTRAINT uploads_kept CHECK (status NOT IN ('processing', 'ready') OR (is_stored AND completed_at IS NOT NULL AND sha256 IS NOT NULL)),
  ADD CONSTRAINT uploads_ready_known CHECK (status <> 'ready' OR num_nulls(package, version_code) = 0);

CREATE INDEX uploads_kept_by_hash ON uploads (project_id, sha256) WHERE status = 'ready';
CREATE INDEX uploads_waiting ON uploads (expires_at) WHERE status <> 'deleted';

ALTER TABLE installs
  ADD CONSTRAINT installs_status CHECK (status IN ('beginning', 'running', 'succeeded', 'failed')),
  ADD CONSTRAINT installs_error_when_failed CHECK ((status = 'failed') = (error IS NOT NULL));
CREATE INDEX installs_open ON installs (phone_id) WHERE status IN ('beginning', 'running');
