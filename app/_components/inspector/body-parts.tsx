import { BytesText } from '@/app/_components/bytes-text';
import { CopyButton } from '@/app/_components/copy-button';
import { EmptyState } from '@/app/_components/empty-state';
import type { ResourceBody } from '@/lib/api/schema';
import { BodyUnknown } from './body-unknown';
import { BodyV2 } from './body-v2';

/** How many parts of a body want a word: those that BodyParts lists. */
export function countParts({ opaque, unknown, v2, redacted }: ResourceBody): number {
  return opaque.length + unknown.length + v2.length + redacted.length;
}

/** What of a body is not plain text of the v3 API: kept as bytes, unknown, of v2, redacted before it was stored. */
export function BodyParts({ body }: { readonly body: ResourceBody }) {
  if (countParts(body) === 0) {
    return (
      <EmptyState title="All of it is decoded">
        No part has an unknown type, no field is unknown, and no field is marked as sensitive.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-4 overflow-auto p-3 text-[0.9286rem]">
      {body.opaque.length > 0 && (
        <section aria-label="Kept as bytes">
          <h4 className="mb-1 font-medium">Kept as bytes</h4>
          <ul className="flex flex-col gap-2">
            {body.opaque.map((part) => (
              <li key={part.path} className="rounded-md border border-line px-3 py-2">
                <p className="font-mono text-[0.8571rem] break-all">
                  {part.path === '' ? '(the whole body)' : part.path}
                </p>
                <p className="font-mono text-[0.8571rem] break-all text-muted">{part.typeUrl}</p>
                <p className="flex flex-wrap items-center gap-x-3 text-muted">
                  <BytesText sizeBytes={part.sizeBytes} />
                  <span className="inline-flex items-center gap-1">
                    SHA-256 <span className="font-mono">{part.hash.slice(0, 12)}</span>
                    <CopyButton text={part.hash} label="Copy the hash of this part" />
                  </span>
                  <span className="min-w-0 [overflow-wrap:anywhere]">{part.reason}</span>
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
      {body.unknown.length > 0 && <BodyUnknown unknown={body.unknown} />}
      {body.v2.length > 0 && <BodyV2 v2={body.v2} />}
      {body.redacted.length > 0 && (
        <section aria-label="Redacted">
          <h4 className="mb-1 font-medium">Redacted before it was stored</h4>
          <ul className="flex flex-col gap-1">
            {body.redacted.map((path) => (
              <li key={path} className="font-mono text-[0.8571rem] break-all">
                {path}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
