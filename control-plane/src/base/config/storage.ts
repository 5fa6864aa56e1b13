/** The place of stored files: a folder, an S3 bucket, or none. `config.ts` reads it once, at start. */
import path from 'node:path'
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'

export const storageEnvironment = {
  PHONERACK_STORAGE: setting(
    z.enum(['fs', 's3', 'off']).default('fs'),
    'Storage of the files of tenants: a folder (`fs`), a bucket (`s3`), or none (`off`). With `off`, uploads end as `failed`.',
  ),
  PHONERACK_STORAGE_DIR: setting(
    z.string().min(1).optional(),
    'Folder for files (`fs`), which all replicas share, or for files in transit (`s3`).',
    { fallback: '`storage`, in the same folder as `PHONERACK_PKI_DIR`' },
  ),
  PHONERACK_STORAGE_MIN_FREE: setting(
    z.coerce.number().int().min(0).default(2_000_000_000),
    'Free space on the disk of the folder below which the storage is full.',
    { unit: 'bytes' },
  ),
  S3_BUCKET: setting(z.string().min(1).optional(), 'The bucket, for `s3`.'),
  S3_REGION: setting(z.string().min(1).default('us-east-1'), 'Region of the bucket.'),
  S3_ENDPOINT: setting(z.url().optional(), 'Address of the service.', { fallback: 'Amazon’s' }),
  S3_ACCESS_KEY_ID: setting(z.string().min(1).optional(), 'With the next setting, the access key.', {
    fallback: 'the credentials that the AWS SDK finds',
  }),
  S3_SECRET_ACCESS_KEY: setting(z.string().min(1).optional(), 'Secret of the access key.'),
}

export interface S3Config {
  bucket: string
  region: string
  endpoint: string | null
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

export interface StorageConfig {
  kind: 'fs' | 's3' | 'off'
  dir: string
  minFreeBytes: number
  /** Null unless the kind is `s3`. */
  s3: S3Config | null
}

type Environment = z.output<z.ZodObject<typeof storageEnvironment>>

/** @throws Error when S3 is chosen without a bucket */
export function readStorageConfig(env: Environment, pkiDir: string): StorageConfig {
  return {
    kind: env.PHONERACK_STORAGE,
    dir: env.PHONERACK_STORAGE_DIR ?? path.join(path.dirname(path.resolve(pkiDir)), 'storage'),
    minFreeBytes: env.PHONERACK_STORAGE_MIN_FREE,
    s3: env.PHONERACK_STORAGE === 's3' ? readS3(env) : null,
  }
}

function readS3(env: Environment): S3Config {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (bucket === undefined) throw new Error('PHONERACK_STORAGE=s3 needs S3_BUCKET')
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new Error('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY go together')
  return {
    bucket,
    region: env.S3_REGION,
    endpoint: env.S3_ENDPOINT ?? null,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
  }
}
