import { BytesText } from '@/app/_components/bytes-text';
import { CopyButton } from '@/app/_components/copy-button';
import { EmptyState } from '@/app/_components/empty-state';
import type { ResourceBody } from '@/lib/views/inspector/schema';

export function countParts({ opaque, unknown, v2, redacted }: ResourceBody): number {
  return opaque.length + unknown.length + v2.length + redacted.length;
}

/** The parts that are not plain v3 text: undecoded, unknown, v2 or redacted. */
export function BodyParts({ body }: { readonly body: ResourceBody }) {
  if (countParts(body) === 0) {
    return (
      <EmptyState title="Fully decoded">No unknown types, unknown fields or sensitive fields.</EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-4 overflow-auto p-3 text-medium">
      {body.opaque.length > 0 && (
        <section aria-label="Kept as bytes">
          <h4 className="mb-1 font-medium">Kept as bytes</h4>
          <ul className="flex flex-col gap-2">
            {body.opaque.map((part) => (
              <li key={part.path} className="rounded-md border border-line px-3 py-2">
                <p className="font-mono text-small break-all">
                  {part.path === '' ? '(whole content)' : part.path}
                </p>
                <p className="font-mono note break-all">{part.typeUrl}</p>
                <p className="flex flex-wrap items-center gap-x-3 text-muted">
                  <BytesText sizeBytes={part.sizeBytes} />
                  <span className="inline-flex items-center gap-1">
                    SHA-256 <span className="font-mono">{part.hash.slice(0, 12)}</span>
                    <CopyButton text={part.hash} label="Copy the hash of this part" />
                  </span>
                  <span className="min-w-0 wrap-anywhere">{part.reason}</span>
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
              <li key={path} className="font-mono text-small break-all">
                {path}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** Parts in the v2 API, with the v3 types that they were read as. */
function BodyV2({ v2 }: Pick<ResourceBody, 'v2'>) {
  return (
    <section aria-label="Parts in the v2 API">
      <h4 className="mb-1 font-medium">In the v2 API, read as v3</h4>
      <ul className="flex flex-col gap-2">
        {v2.map((part) => (
          <li key={part.path} className="rounded-md border border-line px-3 py-2">
            <p className="font-mono text-small break-all">
              {part.path === '' ? '(whole content)' : part.path}
            </p>
            <p className="font-mono note break-all">{part.typeUrl}</p>
            <p className="text-muted">
              read as <span className="font-mono text-small break-all">{part.readAs}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function BodyUnknown({ unknown }: Pick<ResourceBody, 'unknown'>) {
  return (
    <section aria-label="Unknown fields">
      <h4 className="mb-1 font-medium">Fields that xdscope's protos do not have</h4>
      <ul className="flex flex-col gap-2">
        {withKeys(unknown).map(({ key, ...part }) => (
          <li key={key} className="rounded-md border border-line px-3 py-2">
            <p className="font-mono text-small break-all">{part.path === '' ? '(top level)' : part.path}</p>
            <p className="flex flex-wrap items-center gap-x-3 text-muted">
              <span>
                Field {part.field}, {part.wireType}
              </span>
              <BytesText sizeBytes={part.sizeBytes} />
              <span className="inline-flex items-center gap-1">
                SHA-256 <span className="font-mono">{part.hash.slice(0, 12)}</span>
                <CopyButton text={part.hash} label="Copy the hash of this field" />
              </span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A message may contain the same field several times. */
function withKeys(unknown: ResourceBody['unknown']) {
  const counts = new Map<string, number>();
  return unknown.map((part) => {
    const place = `${part.path}#${part.field}`;
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    return { ...part, key: `${place}#${count}` };
  });
}
