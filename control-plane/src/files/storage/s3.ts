/** An S3 bucket as a flydrive disk. The SDK is loaded at the first use. */
import { Disk } from 'flydrive'
import { type S3Config } from '../../base/config/storage.js'

/** Milliseconds: for connecting, and without any data. */
const times = { connectionTimeout: 3000, socketTimeout: 30_000 }

export async function openS3(config: S3Config): Promise<Disk> {
  const [{ S3Driver }, { S3Client }] = await Promise.all([
    import('flydrive/drivers/s3'),
    import('@aws-sdk/client-s3'),
  ])
  const client = new S3Client({
    region: config.region,
    requestHandler: times,
    // Providers other than Amazon support neither its newer checksums nor buckets as host names.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(config.endpoint === null ? {} : { endpoint: config.endpoint, forcePathStyle: true }),
    ...(config.credentials === null ? {} : { credentials: config.credentials }),
  })
  const driver = new S3Driver({ client, bucket: config.bucket, visibility: 'private', supportsACL: false })
  return new Disk(driver)
}
