import { formatCounted } from '@/lib/format/count';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { Button } from '../button';
import { NameText } from '../name-text';
import { useImportQueue } from './import-queue';

const shown = 4;

export function UnsentFiles({ imports }: { readonly imports: readonly FileImport[] }) {
  const { unsent } = useImportQueue();
  // Failed imports state their reason themselves.
  const failed = imports.filter(({ state }) => state === 'failed' || state === 'canceled');
  const unreported = unsent.filter(
    ({ name, reason }) => !failed.some((item) => item.label === name || item.reason === reason),
  );
  if (unreported.length === 0) return null;
  return (
    <ul role="alert" className="flex flex-col gap-1 px-1">
      {unreported.map(({ key, name, reason }) => (
        <li key={key} className="break-words text-nacked">
          <NameText name={name} />: {reason}
        </li>
      ))}
    </ul>
  );
}

export function WaitingFiles() {
  const { waiting, leaveOut } = useImportQueue();
  if (waiting.length === 0) return null;
  return (
    <div className="flex flex-col gap-1 rounded-md border border-dashed border-line px-3 py-2">
      <div className="flex items-center justify-between gap-2">
        <p className="text-muted">{formatCounted(waiting.length, 'file')} waiting to be sent</p>
        <Button
          tone="quiet"
          icon="close"
          label="Remove the waiting files"
          onPress={() => leaveOut(waiting.map(({ key }) => key))}
        >
          Leave out
        </Button>
      </div>
      <ul aria-label="Waiting files" className="flex flex-col">
        {waiting.slice(0, shown).map(({ key, name }) => (
          <li key={key} className="text-small">
            <NameText name={name} />
          </li>
        ))}
        {waiting.length > shown && <li className="note">and {waiting.length - shown} more</li>}
      </ul>
    </div>
  );
}
