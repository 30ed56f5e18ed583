"""The options of `fakeapi serve` by theme, for its help and for the documentation."""

from collections import Counter

import click

THEMES: dict[str, tuple[str, ...]] = {
    "What the server serves": (
        "release",
        "feature_gates",
        "runtime_config",
        "enable_admission_plugins",
        "disable_admission_plugins",
        "install",
        "trace",
        "at",
        "speed",
        "service_cluster_ip_range",
        "service_node_port_range",
    ),
    "Where it listens": (
        "host",
        "port",
        "advertise_url",
        "accept_hosts",
        "kubeconfig",
        "ready_file",
        "end_with_parent",
        "grace",
    ),
    "Controllers and nodes": (
        "controllers",
        "drivers",
        "containers",
        "nodes",
        "run",
        "run_network",
        "nri",
        "kubelet_directory",
        "webhook_services",
        "demo",
    ),
    "Storage": ("database", "durability", "history"),
    "Users and HTTPS": (
        "tls",
        "tls_cert",
        "tls_key",
        "tls_directory",
        "client_ca",
        "token",
        "token_file",
        "allow_anonymous",
        "anonymous",
        "authorization",
        "node_authorization",
        "token_users",
        "front_proxy",
        "proxy_client_cert",
        "proxy_client_key",
        "service_account_tokens",
    ),
    "Faults, time and chance": ("faults", "strict_faults", "latency", "seed", "frozen_at", "clock"),
    "What you see": (
        "log",
        "control",
        "journal",
        "audit_log",
        "audit_policy",
        "record",
        "replace_recording",
        "redact",
    ),
}
"""Maps each theme to the names of its options. All other options belong to the theme OTHER."""

OTHER = "Other options"


def theme_of(name: str) -> str:
    """Returns the theme of an option of `fakeapi serve`. `name`: the field name in Settings."""
    return next((theme for theme, names in THEMES.items() if name in names), OTHER)


class ThemedCommand(click.Command):
    """A command whose help groups the options by theme.

    Warns about an option that the command line sets several times, because only the last value counts.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the command line. Prints a warning for each repeated option."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        rest = super().parse_args(ctx, args)
        for param, count in Counter(order).items():
            if count > 1 and isinstance(param, click.Option) and not param.multiple and not param.is_flag:
                name = param.opts[0]
                click.echo(f"Warning: {name} is set {count} times; only the last value counts", err=True)
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes a section for each theme, with the options in the order of the theme."""
        rows: dict[str, list[tuple[int, tuple[str, str]]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None or param.name is None:
                continue
            theme = theme_of(param.name)
            order = THEMES[theme].index(param.name) if theme in THEMES else 0
            rows.setdefault(theme, []).append((order, record))
        for theme in [*THEMES, OTHER]:
            if theme in rows:
                with formatter.section(theme):
                    formatter.write_dl([record for _, record in sorted(rows[theme], key=lambda row: row[0])])
