'use client';

import { useEffect } from 'react';

/**
 * Moves the focus to what the address names behind its `#`, as a browser does that loads the page: a link followed
 * inside it only scrolls there. Give it a key that changes with the address.
 */
export function FocusOnHash() {
  useEffect(() => document.getElementById(location.hash.slice(1))?.focus(), []);
  return null;
}
