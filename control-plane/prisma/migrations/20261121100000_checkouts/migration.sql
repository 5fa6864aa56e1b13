-- CreateTable
CREATE TABLE "checkouts" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "amount_usd" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "paid_at" TIMESTAMPTZ(3),

    CONSTRAINT "checkouts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "checkouts_project_id_created_at_idx" ON "checkouts"("project_id", "created_at");

-- AddForeignKey
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What must hold whatever the code does.
ALTER TABLE checkouts ADD CONSTRAINT checkouts_amount CHECK (amount_usd > 0);
