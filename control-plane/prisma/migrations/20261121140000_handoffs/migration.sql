-- CreateTable
CREATE TABLE "handoffs" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "phone_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "taken_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "handoffs_pkey" PRIMARY KEY ("id")
);

-- AlterTable
ALTER TABLE "live_links" ADD COLUMN     "handoff_id" TEXT;

-- CreateIndex
CREATE INDEX "handoffs_phone_id_idx" ON "handoffs"("phone_id");

-- CreateIndex
CREATE INDEX "handoffs_expires_at_idx" ON "handoffs"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "live_links_handoff_id_key" ON "live_links"("handoff_id");

-- AddForeignKey
ALTER TABLE "live_links" ADD CONSTRAINT "live_links_handoff_id_fkey" FOREIGN KEY ("handoff_id") REFERENCES "handoffs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_phone_id_fkey" FOREIGN KEY ("phone_id") REFERENCES "phones"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What must hold whatever the code does.
ALTER TABLE handoffs
  ADD CONSTRAINT handoffs_status CHECK (status IN ('open', 'taken', 'done', 'declined', 'expired', 'withdrawn')),
  ADD CONSTRAINT handoffs_expires CHECK (expires_at > created_at),
  ADD CONSTRAINT handoffs_taken CHECK (status NOT IN ('taken', 'done') OR taken_at IS NOT NULL),
  ADD CONSTRAINT handoffs_ended CHECK ((status IN ('open', 'taken')) = (ended_at IS NULL));

-- One at a time of a phone, whatever replicas do.
CREATE UNIQUE INDEX handoffs_one_current ON handoffs (phone_id) WHERE status IN ('open', 'taken');
