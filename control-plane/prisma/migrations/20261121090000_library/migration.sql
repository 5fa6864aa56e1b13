-- CreateTable
CREATE TABLE "library_apps" (
    "package" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "version_code" BIGINT NOT NULL,
    "version_name" TEXT NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "library_apps_pkey" PRIMARY KEY ("package")
);

-- CreateTable
CREATE TABLE "library_files" (
    "id" TEXT NOT NULL,
    "package" TEXT,
    "position" INTEGER NOT NULL DEFAULT 0,
    "size_bytes" BIGINT,
    "sha256" TEXT,
    "facts" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "library_files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "library_state" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "version" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "library_state_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "library_files_package_idx" ON "library_files"("package");

-- AddForeignKey
ALTER TABLE "library_files" ADD CONSTRAINT "library_files_package_fkey" FOREIGN KEY ("package") REFERENCES "library_apps"("package") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What must hold whatever the code does.

ALTER TABLE library_files
  -- What an app has can be sent to a phone.
  ADD CONSTRAINT library_files_whole CHECK (package IS NULL OR num_nulls(size_bytes, sha256, facts) = 0);
CREATE UNIQUE INDEX library_files_position ON library_files (package, position);
ALTER TABLE library_state ADD CONSTRAINT library_state_one CHECK (id = 1);
INSERT INTO library_state (id) VALUES (1);
