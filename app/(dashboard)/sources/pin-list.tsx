'use client';

import { ErrorLine } from '@/app/_components/error-line';
import type { Pin } from '@/lib/api/pins';
import { Button } from '../../_components/button';
import { ErrorState } from '../../_components/error-state';
import { TimeAgo } from '../../_components/time-ago';
import { useRemovePin } from '../../_hooks/mutations';
import { usePins } from '../../_hooks/queries';

/** The ranges that retention leaves alone; nothing where there are none. */
export function PinList() {
  const { data: pins, error, refetch } = usePins();
  const remove = useRemovePin();
  if (pins === undefined && error !== null) {
    return <ErrorState title="The pins could not be read" error={error} onRetry={() => void refetch()} />;
  }
  if (pins === undefined || pins.length === 0) return null;
  return (
    <section aria-label="Pinned ranges" className="mt-4">
      <h3 className="mb-2 text-[0.8571rem] text-muted">Pinned: kept whatever the limits say</h3>
      <ul className="flex flex-col gap-2">
        {pins.map((pin) => (
          <PinItem
            key={pin.id}
            pin={pin}
            isRemoving={remove.isPending && remove.variables === pin.id}
            onRemove={() => remove.mutate(pin.id)}
          />
        ))}
      </ul>
      <ErrorLine error={remove.error} className="mt-2" />
    </section>
  );
}

interface PinItemProps {
  readonly pin: Pin;
  readonly isRemoving: boolean;
  readonly onRemove: () => void;
}

function PinItem({ pin, isRemoving, onRemove }: PinItemProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 rounded-md border border-line px-3 py-2">
      <span className="min-w-0 font-medium break-words">{pin.label}</span>
      <span className="text-muted">
        <TimeAgo iso={pin.from} /> to <TimeAgo iso={pin.to} />,{' '}
        {pin.clientId === null ? 'every client' : `client ${pin.clientId}`}
      </span>
      <Button
        tone="quiet"
        icon="trash"
        className="ml-auto"
        label={`Remove the pin ${pin.label}`}
        isPending={isRemoving}
        onPress={onRemove}
      >
        Remove
      </Button>
    </li>
  );
}
