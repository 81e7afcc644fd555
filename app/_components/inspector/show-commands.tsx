import { CopyButton } from '@/app/_components/copy-button';
import type { ShowCommand } from '@/lib/view-model/inspector/build-commands';

export function ShowCommands({ commands }: { readonly commands: readonly ShowCommand[] }) {
  if (commands.length === 0) return null;
  return (
    <details className="group">
      <summary className="cursor-pointer rounded text-medium text-muted hover:text-text">
        Copy as command
      </summary>
      <ul className="mt-2 flex flex-col gap-3">
        {commands.map((command) => (
          <li key={command.command} className="rounded-md border border-line bg-sunken px-3 py-2">
            <div className="flex items-center gap-2">
              <span className="text-small font-medium">{command.tool}</span>
              <CopyButton
                text={command.command}
                label={`Copy the ${command.tool} command`}
                className="ml-auto"
              />
            </div>
            <code className="block text-small leading-relaxed break-all whitespace-pre-wrap">
              {command.command}
            </code>
            <p className="mt-1 note">{command.note}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
