import { formatResourceType, messageNameOf } from '@/lib/xds/resource-type';
import { BreakableText } from './breakable-text';

/** The longest word of the messages of xDS ("Certificates") has room on one line of a table cell. */
export const typeColumnPx = 88;
/** Abbreviations of discovery services are shorter. */
const mostLargeChars = 5;

interface TypeTextProps {
  readonly typeUrl: string;
  readonly className?: string;
}

/** The short name of a resource type. A long one is smaller, and continues on the next line between its words. */
export function TypeText({ typeUrl, className = '' }: TypeTextProps) {
  const name = formatResourceType(typeUrl);
  const words = name.split(/(?<=[a-z\d])(?=[A-Z])/);
  const size = name.length > mostLargeChars ? 'inline-block text-small leading-tight wrap-anywhere' : '';
  return (
    <span title={messageNameOf(typeUrl)} className={`${size} ${className}`}>
      <BreakableText parts={words} />
    </span>
  );
}
