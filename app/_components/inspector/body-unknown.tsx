import { BytesText } from '@/app/_components/bytes-text';
import { CopyButton } from '@/app/_components/copy-button';
import type { ResourceBody } from '@/lib/api/schema';

/** Fields that xdscope's protos do not have: sent by a newer version of the type, mostly. */
export function BodyUnknown({ unknown }: Pick<ResourceBody, 'unknown'>) {
  return (
    <section aria-label="Unknown fields">
      <h4 className="mb-1 font-medium">Fields that xdscope's protos do not have</h4>
      <ul className="flex flex-col gap-2">
        {withKeys(unknown).map(({ key, ...part }) => (
          <li key={key} className="rounded-md border border-line px-3 py-2">
            <p className="font-mono text-[0.8571rem] break-all">
              {part.path === '' ? '(the body itself)' : part.path}
            </p>
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

/** The same field may be there more than once in one message. */
function withKeys(unknown: ResourceBody['unknown']) {
  const counts = new Map<string, number>();
  return unknown.map((part) => {
    const place = `${part.path}#${part.field}`;
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    return { ...part, key: `${place}#${count}` };
  });
}
