import { CopyButton } from '@/app/_components/copy-button';
import type { ShowCommand } from '@/lib/view-model/inspector/build-commands';

export function ShowCommands({ commands }: { readonly commands: readonly ShowCommand[] }) {
  if (commands.length === 0) return null;
  return (
    <details className="group">
      <summary className="cursor-pointer rounded text-[0.9286rem] text-muted hover:text-text">
        Copy as command
      </summary>
      <ul className="mt-2 flex flex-col gap-3">
        {commands.map((command) => (
          <li key={command.command} className="rounded-md border border-line bg-sunken px-3 py-2">
            <div className="flex items-center gap-2">
              <span className="text-[0.8571rem] font-medium">{command.tool}</span>
              <CopyButton
                text={command.command}
                label={`Copy the ${command.tool} command`}
                className="ml-auto"
              />
            </div>
            <code className="block text-[0.8571rem] leading-relaxed break-all whitespace-pre-wrap">
              {command.command}
            </code>
            <p className="mt-1 text-[0.8571rem] text-muted">{command.note}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
