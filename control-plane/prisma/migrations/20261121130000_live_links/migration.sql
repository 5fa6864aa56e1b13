-- CreateTable
CREATE TABLE "live_links" (
    "token_hash" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "phone_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "control" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "live_links_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE INDEX "live_links_phone_id_idx" ON "live_links"("phone_id");

-- CreateIndex
CREATE INDEX "live_links_expires_at_idx" ON "live_links"("expires_at");

-- AddForeignKey
ALTER TABLE "live_links" ADD CONSTRAINT "live_links_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "live_links" ADD CONSTRAINT "live_links_phone_id_fkey" FOREIGN KEY ("phone_id") REFERENCES "phones"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "live_links" ADD CONSTRAINT "live_links_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "live_links" ADD CONSTRAINT "live_links_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What must hold whatever the code does.
ALTER TABLE live_links ADD CONSTRAINT live_links_expires CHECK (expires_at > created_at);
ALTER TABLE live_links ADD CONSTRAINT live_links_token_hash CHECK (token_hash ~ '^[0-9a-f]{64}$');
