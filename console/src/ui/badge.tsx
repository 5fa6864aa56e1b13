import { type ReactNode } from 'react'
import { cn } from './cn'

export type Tone = 'good' | 'busy' | 'warn' | 'danger' | 'quiet'

const tones: Readonly<Record<Tone, string>> = {
  good: 'bg-good-surface text-good',
  busy: 'bg-busy-surface text-busy',
  warn: 'bg-warn-surface text-warn',
  danger: 'border border-danger/40 text-danger',
  quiet: 'bg-hover text-muted',
}

interface BadgeProps {
  tone?: Tone
  /** The badge names a kind, not a state. */
  isKind?: boolean
  children: ReactNode
}

export const Badge = ({ tone = 'quiet', isKind = false, children }: BadgeProps) => (
  <span
    className={cn(
      'inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap',
      tones[tone],
    )}
  >
    {!isKind && <span className="size-1.5 rounded-full bg-current" aria-hidden />}
    {children}
  </span>
)
