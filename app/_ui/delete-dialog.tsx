'use client';

import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import type { DeleteProps } from './delete-button.tsx';
import { Modal } from './modal.tsx';

interface Props extends DeleteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export default function DeleteDialog({ id, remove, leaveTo, texts, open, onOpenChange }: Props) {
  const router = useRouter();
  const [error, setError] = useState<string | null>(null);
  const [pending, startTransition] = useTransition();
  const confirm = () =>
    !pending &&
    startTransition(async () => {
      const result = await remove(id, leaveTo === null);
      if (!result.ok) {
        setError(result.error);
        return;
      }
      onOpenChange(false);
      if (leaveTo !== null) router.push(leaveTo);
    });
  return (
    <Modal
      open={open}
      onClose={() => onOpenChange(false)}
      title={texts.title}
      role="alertdialog"
      busy={pending}
    >
      <p className="mt-2 text-soft">{texts.body}</p>
      {error && (
        <p role="alert" className="mt-3 text-sm text-crash">
          {error}
        </p>
      )}
      <div className="mt-5 flex justify-end gap-2">
        <button type="button" className="button" onClick={() => onOpenChange(false)}>
          {texts.cancel}
        </button>
        <button type="button" className="button button-danger" aria-disabled={pending} onClick={confirm}>
          {texts.confirm}
        </button>
      </div>
    </Modal>
  );
}
