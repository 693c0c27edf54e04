/** Terminal emulators. Editors are left out because their agents use the same terminals, and so are headless servers. */
export const emulators: ReadonlySet<string> = new Set([
  'alacritty',
  'cool-retro-term',
  'deepin-terminal',
  'foot',
  'ghostty',
  'gnome-terminal-server',
  'iterm2',
  'itermserver',
  'kgx',
  'kitty',
  'konsole',
  'lxterminal',
  'mate-terminal',
  'mlterm',
  'ptyxis-agent',
  'qterminal',
  'rxvt',
  'rxvt-unicode',
  'sakura',
  'st',
  'terminal',
  'terminology',
  'tilix',
  'urxvt',
  'urxvtd',
  'wezterm-gui',
  'xfce4-terminal',
  'xterm',
  'yakuake',
])

/** Programs that show several terminals on the terminal of a client. */
export const multiplexers: ReadonlySet<string> = new Set(['tmux', 'screen'])

/** Programs that open a terminal of another user on their own terminal. */
export const relays: ReadonlySet<string> = new Set(['sudo', 'su', 'doas', 'login'])

/** Programs that connect a terminal from another machine. */
export const remotes: ReadonlySet<string> = new Set(['sshd', 'sshd-session'])
