export function VersionText({ version }: { readonly version: string }) {
  if (version === '') return <span className="text-muted">no version</span>;
  return (
    <span className="font-mono text-[0.9286em] wrap-anywhere" title="version_info">
      {version}
    </span>
  );
}
