import { ChangeMark } from '@/app/_components/change-mark';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import type { ClientChange } from '@/lib/api/changes';
import { useClientViewQuery } from '../use-client-view-query';

/** One resource that became different, and in what. */
export function ChangeItem({ change }: { readonly change: ClientChange }) {
  const { openResource } = useClientViewQuery();
  const { kind, service, name, before, after, differs } = change;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-0.5 border-b border-line px-4 py-1 text-[0.9286rem]">
      <span className="w-24">
        <ChangeMark kind={kind} />
      </span>
      <button
        type="button"
        className="flex min-w-0 items-center gap-2 text-left hover:underline"
        title={kind === 'removed' ? 'It is not there at B' : 'Open in the inspector'}
        onClick={() => openResource(change)}
      >
        <span className="text-[0.8571rem] text-muted">{service}</span>
        <NameText name={name} maxChars={64} />
      </button>
      {before !== null && after !== null && before.versionInfo !== after.versionInfo && (
        <span className="text-[0.8571rem] text-muted">
          version <Version text={before.versionInfo} /> → <Version text={after.versionInfo} />
        </span>
      )}
      {(before === null) !== (after === null) && (
        <span className="text-[0.8571rem] text-muted">
          version <Version text={(before ?? after)?.versionInfo ?? ''} />
        </span>
      )}
      {before !== null && after !== null && before.clientStatus !== after.clientStatus && (
        <span className="inline-flex items-center gap-1.5 text-[0.8571rem]">
          <StatusMark status={before.clientStatus} /> → <StatusMark status={after.clientStatus} />
        </span>
      )}
      {differs.length > 0 && (
        <span className="ml-auto text-[0.8571rem] text-muted">differs in {differs.join(', ')}</span>
      )}
    </li>
  );
}

function Version({ text }: { readonly text: string }) {
  return text === '' ? <span>not told</span> : <span className="font-mono break-all text-text">{text}</span>;
}
