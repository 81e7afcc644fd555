import { Fragment } from 'react';

/** Text that continues on the next line between its parts, and within a part only if that is longer than the line. */
export function BreakableText({ parts }: { readonly parts: readonly string[] }) {
  return parts.map((part, place) => (
    <Fragment key={parts.slice(0, place).join('')}>
      {place > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
