/** The native select element, which works with a keyboard and on phones everywhere. */
import { ChevronDown } from 'lucide-react'
import { type ComponentProps } from 'react'
import { cn } from './cn'

interface SelectProps extends ComponentProps<'select'> {
  isSmall?: boolean
}

/** @param className classes of the box around the element */
export const Select = ({ className, isSmall = false, children, ...props }: SelectProps) => (
  <span className={cn('relative inline-grid min-w-0', className)}>
    <select
      className={cn(
        'field w-full appearance-none truncate pr-8',
        isSmall && 'h-size-small pl-2.5 text-[13px]',
      )}
      {...props}
    >
      {children}
    </select>
    <ChevronDown
      className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
      aria-hidden
    />
  </span>
)
