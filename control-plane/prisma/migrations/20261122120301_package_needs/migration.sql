-- What an app needs of a phone: checked by the host agent before anything is changed there.
ALTER TABLE "uploads" ADD COLUMN "needs" JSONB;
ALTER TABLE "installs" ADD COLUMN "needs" JSONB;
