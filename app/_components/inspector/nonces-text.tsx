import { NameText } from '@/app/_components/name-text';
import type { TypeSync } from '@/lib/views/client/schema';

export function NoncesText({
  nonces: { sent, acked },
}: {
  readonly nonces: NonNullable<TypeSync['nonces']>;
}) {
  if (sent === '') return <span className="text-muted">nothing sent</span>;
  return (
    <span className="inline-flex min-w-0 flex-wrap items-baseline gap-x-2">
      <span className="inline-flex min-w-0 items-baseline gap-1">
        <span className="text-muted">sent</span> <NameText name={sent} />
      </span>
      <span className="inline-flex min-w-0 items-baseline gap-1">
        {acked === sent ? (
          <span className="text-muted">and acknowledged</span>
        ) : acked === '' ? (
          <span className="text-timeout">never acknowledged</span>
        ) : (
          <>
            <span className="text-timeout">acknowledged</span> <NameText name={acked} />
          </>
        )}
      </span>
    </span>
  );
}
