/** Why something could not be changed, below what it was changed with. */
export function ErrorLine({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <p role="alert" className="text-[0.8571rem] break-words text-nacked">
      {error.message}
    </p>
  );
}
