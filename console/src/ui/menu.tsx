import { DropdownMenu as Radix } from 'radix-ui'
import { type ReactNode } from 'react'
import { cn } from './cn'

interface MenuProps {
  trigger: ReactNode
  children: ReactNode
  align?: 'start' | 'end'
}

export const Menu = ({ trigger, children, align = 'end' }: MenuProps) => (
  <Radix.Root>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        align={align}
        sideOffset={6}
        collisionPadding={8}
        className="z-50 max-h-[70vh] max-w-80 min-w-48 overflow-y-auto rounded-md border border-border bg-surface p-1 shadow-lg"
      >
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
)

const item =
  'flex min-h-size items-center gap-2 rounded px-2.5 py-1.5 outline-none select-none data-[highlighted]:bg-hover [&_svg]:size-4 [&_svg]:shrink-0'

interface ItemProps {
  children: ReactNode
  onSelect: () => void
  isDangerous?: boolean
  isDisabled?: boolean
}

export const MenuItem = ({ children, onSelect, isDangerous = false, isDisabled = false }: ItemProps) => (
  <Radix.Item
    className={cn(item, isDangerous && 'text-danger', isDisabled && 'opacity-60')}
    disabled={isDisabled}
    onSelect={onSelect}
  >
    {children}
  </Radix.Item>
)

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <Radix.Label className="px-2.5 py-1.5 text-[13px] text-muted">{children}</Radix.Label>
)

export const MenuLine = () => <Radix.Separator className="my-1 h-px bg-border" />
