-- AlterTable
ALTER TABLE "installs" ADD COLUMN "ordered_at" TIMESTAMPTZ(3);

-- Of those that were under way nobody knows whether they were ordered.
UPDATE installs SET ordered_at = updated_at WHERE status = 'running';
