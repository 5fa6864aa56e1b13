import { Copy } from './copy'

/** A text to copy, which scrolls sideways. @param what names the text for its label: "curl example" */
export const Code = ({ text, what }: { text: string; what: string }) => (
  <div className="flex items-start rounded-md border border-border bg-code">
    {/* A box that scrolls must be reachable by keyboard. */}
    <pre
      tabIndex={0}
      aria-label={what}
      className="min-w-0 flex-1 overflow-x-auto rounded-md p-3 font-mono text-[13px] leading-relaxed"
    >
      {text}
    </pre>
    <div className="p-1">
      <Copy text={text} what={what} />
    </div>
  </div>
)
