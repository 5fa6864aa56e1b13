/**
 * Where files are stored: a folder, an S3 bucket, or nowhere. Read once, at start, by `config.ts`.
 */
import path from 'node:path'
import { z } from 'zod'

const bytes = (fallback: number) => z.coerce.number().int().min(0).default(fallback)

export const storageEnvironment = {
  /** `off`: apps cannot be stored, and uploads end as `failed`. */
  PHONERACK_STORAGE: z.enum(['fs', 's3', 'off']).default('fs'),
  /**
   * Folder for files (`fs`), or for files in transit (`s3`). Default: `storage` next to the folder
   * of the CA.
   */
  PHONERACK_STORAGE_DIR: z.string().min(1).optional(),
  /** Bytes that stay free on the disk of that folder; below that, the storage is full. */
  PHONERACK_STORAGE_MIN_FREE: bytes(2_000_000_000),
  S3_BUCKET: z.string().min(1).optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  /** Left out: Amazon's. */
  S3_ENDPOINT: z.url().optional(),
  /** Left out: the AWS SDK's default credential lookup. */
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
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
