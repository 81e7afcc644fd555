import type { ResourceBody } from '@/lib/api/schema';

/** Parts that were written in the v2 API, and what they were read as. */
export function BodyV2({ v2 }: Pick<ResourceBody, 'v2'>) {
  return (
    <section aria-label="Parts in the v2 API">
      <h4 className="mb-1 font-medium">In the v2 API, read through v3</h4>
      <ul className="flex flex-col gap-2">
        {v2.map((part) => (
          <li key={part.path} className="rounded-md border border-line px-3 py-2">
            <p className="font-mono text-[0.8571rem] break-all">
              {part.path === '' ? '(the whole body)' : part.path}
            </p>
            <p className="font-mono text-[0.8571rem] break-all text-muted">{part.typeUrl}</p>
            <p className="text-muted">
              read as <span className="font-mono text-[0.8571rem] break-all">{part.readAs}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
