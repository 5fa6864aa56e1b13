/** A message at the top of a page that asks the user to act or to wait. */
import { type ReactNode } from 'react'
import { cn } from './cn'

const tones = {
  warn: 'border-warn/30 bg-warn-surface text-warn',
  good: 'border-good/30 bg-good-surface text-good',
  quiet: 'border-border bg-surface text-foreground',
} as const

interface NoticeProps {
  tone: keyof typeof tones
  icon: ReactNode
  title: ReactNode
  children?: ReactNode
  action?: ReactNode
}

export const Notice = ({ tone, icon, title, children, action }: NoticeProps) => (
  <div
    role="status"
    className={cn(
      'flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-lg border px-4 py-3 sm:px-5',
      tones[tone],
    )}
  >
    <div className="flex min-w-0 gap-3 [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0">
      {icon}
      <div className="grid min-w-0 gap-0.5">
        <p className="font-medium">{title}</p>
        {children !== undefined && <div className={tone === 'quiet' ? 'text-muted' : ''}>{children}</div>}
      </div>
    </div>
    {action}
  </div>
)
