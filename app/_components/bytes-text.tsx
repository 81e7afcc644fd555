import { formatBytes } from '@/lib/format/bytes';
import { formatCount } from '@/lib/format/count';

/** A size with the exact number of bytes in the tooltip; null: not reported. */
export function BytesText({ sizeBytes }: { readonly sizeBytes: number | null | undefined }) {
  if (sizeBytes == null) return <NotReported />;
  return <span title={`${formatCount(sizeBytes)} bytes`}>{formatBytes(sizeBytes)}</span>;
}

export function NotReported({ why = 'not reported' }: { readonly why?: string }) {
  return (
    <span className="text-muted" title={why}>
      <span aria-hidden="true">–</span>
      <span className="sr-only">{why}</span>
    </span>
  );
}
