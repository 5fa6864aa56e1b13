-- CreateTable
CREATE TABLE "recordings" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "phone_id" TEXT NOT NULL,
    "host_id" TEXT NOT NULL,
    "fencing_number" BIGINT NOT NULL,
    "name" TEXT,
    "status" TEXT NOT NULL,
    "storage_id" TEXT NOT NULL,
    "is_stored" BOOLEAN NOT NULL DEFAULT false,
    "is_dropped" BOOLEAN NOT NULL DEFAULT false,
    "sha256" TEXT,
    "duration_ms" INTEGER,
    "size_bytes" BIGINT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "recordings_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "recordings_storage_id_key" ON "recordings"("storage_id");

-- CreateIndex
CREATE INDEX "recordings_project_id_expires_at_idx" ON "recordings"("project_id", "expires_at");

-- CreateIndex
CREATE INDEX "recordings_phone_id_started_at_idx" ON "recordings"("phone_id", "started_at" DESC);

-- AddForeignKey
ALTER TABLE "recordings" ADD CONSTRAINT "recordings_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recordings" ADD CONSTRAINT "recordings_phone_id_fkey" FOREIGN KEY ("phone_id") REFERENCES "phones"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recordings" ADD CONSTRAINT "recordings_host_id_fkey" FOREIGN KEY ("host_id") REFERENCES "hosts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What must hold whatever the code does.

ALTER TABLE recordings
  ADD CONSTRAINT recordings_status CHECK (status IN ('starting', 'recording', 'processing', 'ready', 'failed', 'deleted')),
  ADD CONSTRAINT recordings_ready_whole CHECK (status <> 'ready' OR (is_stored AND num_nulls(sha256, duration_ms, size_bytes, ended_at) = 0));

-- One at a time of a phone, whatever replicas do.
CREATE UNIQUE INDEX recordings_one_running ON recordings (phone_id) WHERE status IN ('starting', 'recording');
CREATE INDEX recordings_to_fetch ON recordings (id) WHERE NOT is_dropped;
CREATE INDEX recordings_to_expire ON recordings (expires_at) WHERE status <> 'deleted';
