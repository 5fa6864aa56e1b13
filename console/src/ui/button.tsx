import { cva, type VariantProps } from 'class-variance-authority'
import { LoaderCircle } from 'lucide-react'
import { Slot } from 'radix-ui'
import { type ComponentProps } from 'react'
import { cn } from './cn'

const variants = cva(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-[color,background-color,border-color] disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      look: {
        primary: 'bg-primary text-on-primary hover:bg-primary/90',
        plain: 'border border-border bg-surface text-foreground hover:bg-hover',
        ghost: 'text-foreground hover:bg-hover',
        danger: 'bg-danger text-on-danger hover:bg-danger/90',
      },
      size: { normal: 'h-size px-3.5', small: 'h-size-small px-2.5 text-[13px]', icon: 'size-size' },
    },
    defaultVariants: { look: 'plain', size: 'normal' },
  },
)

interface Props extends ComponentProps<'button'>, VariantProps<typeof variants> {
  asChild?: boolean
  /** A request is under way. */
  isBusy?: boolean
}

export function Button({
  className,
  look,
  size,
  asChild,
  isBusy = false,
  children,
  disabled,
  ...props
}: Props) {
  const classes = cn(variants({ look, size }), className)
  if (asChild) return <Slot.Root className={classes}>{children}</Slot.Root>
  return (
    <button
      type="button"
      className={classes}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy}
      {...props}
    >
      {isBusy && <LoaderCircle className="animate-spin" aria-hidden />}
      {children}
    </button>
  )
}
