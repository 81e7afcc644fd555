import { formatBytes } from '@/lib/format/bytes';
import { formatCount } from '@/lib/format/count';

/** A size; the exact number of bytes on hover. null is "not reported". */
export function BytesText({ sizeBytes }: { readonly sizeBytes: number | null }) {
  if (sizeBytes === null) return <NotReported />;
  return <span title={`${formatCount(sizeBytes)} bytes`}>{formatBytes(sizeBytes)}</span>;
}

/** The sign for "not reported": neither zero nor OK. */
export function NotReported({ why = 'not reported' }: { readonly why?: string }) {
  return (
    <span className="text-muted" title={why}>
      <span aria-hidden="true">–</span>
      <span className="sr-only">{why}</span>
    </span>
  );
}
