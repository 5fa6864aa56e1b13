import { Check, Copy as CopyIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { toast } from 'sonner'
import { Button } from './button'

interface CopyProps {
  text: string
  /** Names the copied text for the button's label: "key". */
  what: string
  isLabelled?: boolean
}

export function Copy({ text, what, isLabelled = false }: CopyProps) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      () => toast.error('The browser did not allow copying. Select the text instead.'),
    )
  }
  const icon = isCopied ? <Check aria-hidden /> : <CopyIcon aria-hidden />
  return (
    <Button
      size={isLabelled ? 'normal' : 'icon'}
      look={isLabelled ? 'plain' : 'ghost'}
      onClick={copy}
      aria-label={`Copy ${what}`}
    >
      {icon}
      {isLabelled && (isCopied ? 'Copied' : 'Copy')}
    </Button>
  )
}

/** Text to copy, such as a key or a link. */
export const Secret = ({ text, what }: { text: string; what: string }) => (
  <div className="flex items-center gap-1 rounded-md border border-border bg-code py-1 pr-1 pl-3">
    <code className="min-w-0 flex-1 font-mono text-[13px] break-all">{text}</code>
    <Copy text={text} what={what} />
  </div>
)
